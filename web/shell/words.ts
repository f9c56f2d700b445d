export const words = {
  navigation: "Main",
  skip: "Skip to content",
  more: "More",
  docs: "Docs",
  ask: "Ask",
  askAgent: "Ask the agent",
  account: {
    open: "Account",
    in: (name: string) => `Account: ${name}`,
    switch: "Switch account",
    create: "New account",
    name: "Its name",
    createIt: "Create it",
    signOut: "Sign out",
    notSignedOut: "You are still signed in",
  },
} as const;

export const roleNames: Readonly<Record<string, string>> = {
  READ_ONLY: "may look",
  READ_RUN: "may look and run",
  READ_WRITE: "may change",
  ADMIN: "admin",
  OWNER: "owner",
};
