/**
 * Prints what each bundle weighs and which inputs weigh most in it.
 *
 * @param bundles {{entry: {out: string, budget?: number}, metafile: import("esbuild").Metafile}[]}
 * @param anySize {boolean} nothing is held to the budgets
 * @returns {boolean} false when a bundle is above its budget
 */
export function reportSizes(bundles, anySize) {
  let fits = true;
  for (const { entry, metafile } of bundles) {
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`${entry.out}.js`))?.[1];
    if (!output) throw new Error(`no output for ${entry.out}`);
    const over = !anySize && entry.budget !== undefined && output.bytes > entry.budget;
    const budget = entry.budget === undefined ? "" : ` of ${kB(entry.budget)}`;
    console.log(`${entry.out.padEnd(12)} ${kB(output.bytes)}${budget}${over ? "  ABOVE ITS BUDGET" : ""}`);
    if (over) {
      fits = false;
      const heaviest = Object.entries(output.inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput);
      for (const [path, input] of heaviest.slice(0, 10)) console.log(`    ${kB(input.bytesInOutput)} ${path}`);
    }
  }
  return fits;
}

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
