/** Actor is who acts at the moment: the user, or an agent whose command is running. */
export interface Actor {
  by: "user" | "agent";
  client: string | undefined;
}
