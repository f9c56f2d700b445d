export const words = {
  title: "Sign in to Vedette",
  email: "Email",
  password: "Password",
  signIn: "Sign in",
  forgotten: "Forgotten password?",
  provider: (name: string) => `Sign in with ${name}`,
  passkey: {
    use: "Sign in with a passkey",
    cancelled: "No passkey was used: it was cancelled, or there is none for this address.",
  },
  back: "Back to sign-in",
  choose: {
    title: "Choose a password",
    newTitle: "Choose a new password",
    label: "New password",
    hint: "At least ten characters. A sentence is easier to remember than a riddle.",
    save: "Save and go on",
    keep: "Keep the password I have",
    ends: "All your other sessions end.",
  },
  link: {
    working: "Signing you in…",
    badTitle: "This link does not work any more",
    bad: "A link signs in once, within an hour.",
    command: "On the machine that runs Vedette, this makes another:",
  },
  reset: {
    title: "Forgotten password",
    explain: "We mail you a link with which you choose a new one.",
    send: "Send the link",
    sent: "Look into your mailbox",
    sentMore:
      "If somebody here has this address, a mail is on its way. Its link works once, within an hour.",
    noMail: "This server sends no mail.",
    command: "On the machine that runs Vedette, this prints a link that signs you in:",
    badTitle: "This link does not work any more",
    bad: "It works once, within an hour.",
    again: "Ask for another",
  },
  factor: {
    title: "One more step",
    app: "Code of your authenticator app",
    recovery: "Recovery code",
    useRecovery: "Use a recovery code",
    useApp: "Use a code of the app",
    go: "Sign in",
  },
  invite: {
    title: (account: string) => `Join ${account}`,
    from: (inviter: string) => `${inviter} invites you.`,
    as: "You join as",
    name: "Your name",
    nameHint: "So that others know who did what. May be left empty.",
    join: (account: string) => `Join ${account}`,
    signInFirst: "You have a user here already: sign in to join.",
    other: (invited: string, self: string) =>
      `This invite is for ${invited}, and you are signed in as ${self}.`,
    signOut: "Sign out",
    badTitle: "This invite does not work any more",
    bad: "It was used, withdrawn or replaced, or is older than seven days. Ask for a new one.",
    toApp: "Open Vedette",
  },
} as const;

/** What each role may do: "You may …". */
export const roleWords: Readonly<Record<string, string>> = {
  READ_ONLY: "You may look at everything and change nothing.",
  READ_RUN: "You may look at everything and run checks.",
  READ_WRITE: "You may change checks, alerts and pages.",
  ADMIN: "You may change everything and invite people.",
};
