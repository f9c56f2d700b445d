export const words = {
  staleSince: (time: string) => `No live updates since ${time}.`,
  polling: "What you see is renewed every 10 seconds.",
  retrying: "What you see is from then. Trying to reach the server.",
} as const;
