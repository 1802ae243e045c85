/** Reports the policies that meta elements of the top document set, once it is parsed. */
export function reportPolicies(report: (content: string[]) => void): void {
  if (window !== window.top) return;
  const look = (): void => {
    const metas = document.querySelectorAll<HTMLMetaElement>('meta[http-equiv="Content-Security-Policy" i]');
    const content = [...metas].map((meta) => meta.content).filter((text) => text !== "");
    if (content.length > 0) report(content.slice(0, 10).map((text) => text.slice(0, 4096)));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", look, { once: true });
  else look();
}
