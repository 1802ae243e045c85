/** The popup asks the worker which agents there are, and says which tab they should use. Answered with TrackingTold. */
export interface AskTracking {
  type: "gasoline-tracking";
  /** Tab that becomes the one in use. */
  use?: number;
  /** Tab that is the one in use no longer. */
  release?: number;
  /** Id of the agent that is meant; absent: all. */
  agent?: string;
}

/** What came of it. The agents themselves are in the connection by then. */
export interface TrackingTold {
  /** Why it could not be done. */
  problem?: string;
}
