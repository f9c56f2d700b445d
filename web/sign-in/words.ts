export const words = {
  title: "Sign in to Vedette",
  email: "Email",
  password: "Password",
  signIn: "Sign in",
  forgotten: "Forgot password?",
  provider: (name: string) => `Sign in with ${name}`,
  passkey: {
    use: "Sign in with a passkey",
    cancelled:
      "Passkey sign-in was cancelled, or this device has no passkey for this address. Try again, or use your password.",
  },
  back: "Back to sign-in",
  choose: {
    title: "Choose a password",
    newTitle: "Choose a new password",
    label: "New password",
    hint: "At least ten characters. A long phrase is easier to remember than random symbols.",
    save: "Save and continue",
    keep: "Keep current password",
    ends: "Saving signs you out of all other sessions.",
    welcome: "Welcome to Vedette",
    email: "Your email address",
    emailHint: "Used to sign in and to reset your password.",
    confirm: (email: string) =>
      `A confirmation email was sent to ${email}. Open the link in it to confirm the address.`,
  },
  link: {
    working: "Signing you in…",
    badTitle: "This link is no longer valid",
    bad: "A sign-in link works once and expires after one hour.",
    command: "To create a new link, run this on the machine that runs Vedette:",
  },
  reset: {
    title: "Forgot password",
    explain: "You get an email with a link to choose a new password.",
    send: "Send link",
    sent: "Check your email",
    sentMore:
      "If a user with this address exists, an email was sent. Its link works once and expires after one hour.",
    noMail: "This server is not configured to send email.",
    command: "To print a sign-in link, run this on the machine that runs Vedette:",
    badTitle: "This link is no longer valid",
    bad: "A reset link works once and expires after one hour.",
    again: "Send a new link",
  },
  confirmEmail: {
    title: "Confirm your email address",
    text: (email: string) => `Your new address is ${email}.`,
    confirm: "Confirm address",
    signInFirst: "Sign in to confirm your new address.",
    badTitle: "This link is no longer valid",
    bad: "A confirmation link works once, expires after 24 hours, and only works for the user who requested it.",
    toProfile: "Open profile",
  },
  factor: {
    title: "Two-factor authentication",
    app: "Code from your authenticator app",
    recovery: "Recovery code",
    useRecovery: "Use a recovery code",
    useApp: "Use an authenticator code",
    go: "Sign in",
  },
  invite: {
    title: (account: string) => `Join ${account}`,
    from: (inviter: string) => `${inviter} invited you.`,
    as: "Role",
    name: "Your name",
    nameHint: "Optional. Shown to other members and in the audit log.",
    join: (account: string) => `Join ${account}`,
    signInFirst: "A user with this email address already exists. Sign in to join.",
    other: (invited: string, self: string) =>
      `This invite is for ${invited}, and you are signed in as ${self}.`,
    signOut: "Sign out",
    badTitle: "This invite is no longer valid",
    bad: "It was used, withdrawn or replaced, or it expired after seven days. Ask for a new invite.",
    toApp: "Open Vedette",
  },
} as const;

/** Descriptions of the roles: what an invited person may do in each role. */
export const roleWords: Readonly<Record<string, string>> = {
  READ_ONLY: "You can view everything but change nothing.",
  READ_RUN: "You can view everything and run checks.",
  READ_WRITE: "You can change checks, alerts and status pages.",
  ADMIN: "You can change everything and invite members.",
};
