/** A file, as what an input accepts is compared with it. */
interface Named {
  name: string;
  type?: string;
}

/** Names of the files that do not fit what an input says that it accepts; browsers offer others less, and take them. */
export function misfits(accept: string, files: readonly Named[]): string[] {
  const tokens = accept
    .toLowerCase()
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "" && token !== "*/*" && token !== "*");
  if (tokens.length === 0) return [];
  const fits = ({ name, type = "" }: Named): boolean =>
    tokens.some((token) =>
      token.startsWith(".")
        ? name.toLowerCase().endsWith(token)
        : token.endsWith("/*")
          ? type.toLowerCase().startsWith(token.slice(0, -1))
          : type.toLowerCase() === token,
    );
  return files.filter((file) => !fits(file)).map(({ name }) => name);
}
