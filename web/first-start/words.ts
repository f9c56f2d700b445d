export const words = {
  title: "First steps",
  watch: {
    title: "Watch something",
    text: "A host, a page, a port, a certificate or a job. Paste a list for many at once.",
    action: "Add a check",
  },
  tell: {
    title: "Be told",
    text: "Mail, chat or a webhook, with a test that shows the other side's answer.",
    action: "Add a channel",
  },
  show: {
    title: "Show it",
    text: "A public page with what works and what does not. Here is one of this machine.",
    action: "Open the example page",
    own: "Status pages are made through the API so far.",
    guide: "See how",
  },
  done: "Done",
  example: {
    text: "The example watches this machine, so that the first look shows something that moves.",
    remove: "Remove the example",
    lost: (checks: string) => `${checks}, a status page and a dashboard go with it.`,
    gone: "The example is gone",
    failed: "Part of the example is still there",
  },
} as const;
