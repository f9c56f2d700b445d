export const words = {
  title: "Doctor",
  intro:
    "Checks whether this installation has everything it needs. If the server does not start, run",
  command: "npm run vedette doctor",
  again: "Check again",
  lookedAt: "Last checked",
  levels: { fail: "Failed", warn: "Warning", ok: "OK" },
  allFine: "All diagnostics passed.",
  whatToDo: "What to do",
} as const;
