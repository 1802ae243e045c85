interface NavigateEvent extends Event {
  destination: { sameDocument: boolean };
}

declare const navigation: EventTarget;

/** Does something and says whether the document began to navigate to another one because of it. */
export async function isLeaving(work: () => void): Promise<boolean> {
  let leaving = false;
  const heard = (event: Event): void => {
    if (!(event as NavigateEvent).destination.sameDocument && !event.defaultPrevented) leaving = true;
  };
  navigation.addEventListener("navigate", heard);
  try {
    work();
    // Links and forms navigate in a task of their own.
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    navigation.removeEventListener("navigate", heard);
  }
  return leaving;
}
