import type { LongTask } from "@gasoline/schema/wire";

const maxTasks = 20;

/** A frame that took long, with the scripts that ran in it; Chrome's own entry type. */
interface LongFrame extends PerformanceEntry {
  scripts?: { duration: number; sourceURL: string; sourceFunctionName: string; invoker: string }[];
}

/** LongTasks keeps the latest 20 long tasks of a document; scripts are known where long animation frames are. */
export class LongTasks {
  #tasks: LongTask[] = [];

  /** watch starts observing and calls changed after each task. It returns the end of it. */
  watch(changed: () => void): () => void {
    const types = PerformanceObserver.supportedEntryTypes;
    // One of the two, since both tell of the same work.
    const type = types.includes("long-animation-frame") ? "long-animation-frame" : "longtask";
    if (!types.includes(type)) return () => {};
    const observer = new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries() as LongFrame[]) this.#add(entry);
      changed();
    });
    observer.observe({ type, buffered: true });
    return () => observer.disconnect();
  }

  list(): LongTask[] {
    return this.#tasks;
  }

  #add(entry: LongFrame): void {
    const worst = entry.scripts?.reduce(
      (a, b) => (b.duration > a.duration ? b : a),
      entry.scripts[0] ?? { duration: 0, sourceURL: "", sourceFunctionName: "", invoker: "" },
    );
    const name = worst && (worst.sourceFunctionName || worst.invoker);
    const script = worst?.sourceURL ? worst.sourceURL + (name ? " " + name : "") : name;
    this.#tasks = [
      ...this.#tasks,
      {
        start: Math.round(entry.startTime),
        duration: Math.round(entry.duration),
        ...(script ? { script: script.slice(0, 300) } : {}),
      },
    ].slice(-maxTasks);
  }
}
