export const words = {
  title: "First steps",
  watch: {
    title: "Watch something",
    text: "A host, a page, a port, a certificate or a job. Paste a list for many at once.",
    action: "Add a check",
    list: "Paste a list",
  },
  tell: {
    title: "Be told",
    text: "Mail, chat or a webhook, with a test that shows the other side's answer.",
    action: "Add a channel",
  },
  show: {
    title: "Show it",
    text: "A status page for your users, which follows your checks by itself.",
    action: "Create a status page",
    example: "See the example",
  },
  done: "Done",
  hide: "Hide these steps",
  example: {
    text: "The example watches this machine, so that the first look shows something that moves.",
    remove: "Remove the example",
    lost: (checks: string) => `${checks}, a status page and a dashboard go with it.`,
    gone: "The example is gone",
    failed: "Part of the example is still there",
  },
} as const;
