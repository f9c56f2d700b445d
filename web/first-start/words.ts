export const words = {
  title: "First steps",
  watch: {
    title: "Add a check",
    text: "Monitor a host, a web page, a port, a certificate or a scheduled job. Paste a list to add many checks at once.",
    action: "Add a check",
    list: "Paste a list",
  },
  tell: {
    title: "Get notified",
    text: "By email, chat, phone or webhook. Send a test to see the response of the receiver.",
    action: "Add a channel",
  },
  show: {
    title: "Publish a status page",
    text: "Show your users what works. The page follows the state of your checks automatically.",
    action: "Create a status page",
    example: "View the example",
  },
  done: "Done",
  hide: "Hide these steps",
  example: {
    text: "The example checks this machine so that the screens show data from the start.",
    remove: "Remove the example",
    lost: (checks: string) => `${checks}, a status page and a dashboard are deleted.`,
    gone: "The example was removed",
    failed: "The example was not removed completely",
  },
} as const;
