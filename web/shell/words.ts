export const words = {
  navigation: "Main",
  skip: "Skip to content",
  more: "More",
  docs: "Docs",
  theme: { auto: "System theme", light: "Light theme", dark: "Dark theme" },
  changeTheme: (now: string) => `${now}. Change theme`,
  account: {
    open: "Account",
    in: (person: string, account: string) => `Account: ${account}, ${person}`,
    switch: "Switch account",
    create: "New account",
    name: "Account name",
    createIt: "Create account",
    signOut: "Sign out",
    notSignedOut: "You are still signed in",
  },
} as const;

export const roleNames: Readonly<Record<string, string>> = {
  READ_ONLY: "read only",
  READ_RUN: "read and run",
  READ_WRITE: "read and write",
  ADMIN: "admin",
  OWNER: "owner",
};
