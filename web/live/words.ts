export const words = {
  staleSince: (time: string) => `No live updates since ${time}.`,
  polling: "Refreshing every 10 seconds instead.",
  retrying: "The data shown is from that time. Reconnecting.",
} as const;
