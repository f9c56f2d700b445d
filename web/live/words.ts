export const words = {
  staleSince: (time: string) => `No live updates since ${time}.`,
  polling: "Refreshing every 10 seconds instead.",
  retrying: "The server is unreachable. The data shown is from then. Retrying.",
} as const;
