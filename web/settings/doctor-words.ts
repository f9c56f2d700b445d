export const words = {
  title: "Doctor",
  intro:
    "What this installation needs, and whether it has it. Where no server starts, the same is found by",
  command: "npm run vedette doctor",
  again: "Look again",
  lookedAt: "Looked",
  levels: { fail: "Not working", warn: "To look at", ok: "Fine" },
  allFine: "Everything that was looked at is fine.",
  whatToDo: "What to do",
} as const;
