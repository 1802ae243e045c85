/** Name of the port between a content script and the worker. */
export const CONTENT_PORT = "gasoline-content";

/** Characters of an address that are kept: the daemon keeps no more, and a page can give itself one of 2 MB. */
export const MAX_ADDRESS = 8192;

/** What a content script says to the worker. The worker takes tab, frame and document from the sender. */
export type FromContent =
  | {
      type: "hello";
      url: string;
      /** The URL that the document was loaded from; a page can give itself another one later. */
      loaded: string;
      /** document_start, or late when the script came after the page began. */
      since: "document_start" | "late";
      /** The capture's script in the page's own world did not start, though scripts run in this document. */
      noPageScript?: boolean;
    }
  | {
      type: "batch";
      /** Counts per document; the worker acknowledges it when the batch is stored or spilled. */
      id: number;
      url: string;
      /** The batch as capture wrote it. */
      json: string;
      /** Holds an error: to be sent at once. */
      urgent: boolean;
    }
  | {
      /** Policies in meta elements, seen when the document was parsed. */
      type: "policy";
      content: string[];
    }
  | {
      /** Everything that was captured before the flush with this id is in earlier batches. */
      type: "flushed";
      id: number;
    };

/** What the worker says to a content script. */
export type ToContent =
  | { type: "configure"; config: PageConfig }
  | { type: "ack"; id: number }
  | { type: "flush"; id: number }
  | {
      /** The user stopped what agents do: a drawing that one asked for is over. */
      type: "stop";
    }
  | {
      /** The user took the grant of the document's site back: nothing of it is captured any more. */
      type: "revoked";
    }
  | {
      /** An agent's command begins to act in the tab. */
      type: "begin";
      action: ActionId;
    }
  | {
      /** It is over. */
      type: "end";
      action: ActionId;
    };

/** An agent's action: what it causes carries the id. */
export interface ActionId {
  id: string;
  client: string;
}

/** What the page side may capture. */
export interface PageConfig {
  bodies: boolean;
  /** Bytes of a captured body. */
  bodyLimit: number;
}
