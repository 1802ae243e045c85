/** The popup gives the worker a code that "gasoline pair" printed. Answered with PairingTold. */
export interface AskPairing {
  type: "gasoline-pair";
  code: string;
}

/** What came of it. */
export interface PairingTold {
  /** Why it could not be done. */
  problem?: string;
}

const CODE = /^[0-9a-hjkmnp-tv-z]{32}$/;

/** A code as it is sent, from what was pasted: any case, with spaces or dashes; undefined when it is none. */
export function parseCode(pasted: string): string | undefined {
  const code = pasted.toLowerCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? code : undefined;
}
