/** UI text of the sign-in of a command line. */
export const words = {
  title: "Sign in a device",
  code: "Code",
  codeHint: "The code that the command line shows.",
  next: "Continue",
  unknown: "No device waits under this code. Codes expire after ten minutes: start again there.",
  intro: "A command line wants to sign in as you. Confirm only if you started it yourself.",
  user: "Signs in as",
  client: "Program",
  unnamed: "Unknown",
  address: "IP address",
  asked: "Asked",
  confirm: "Sign in the device",
  deny: "Deny",
  approvedTitle: "The device is signed in",
  approved:
    "Return to the command line. Its key is listed under API keys, where you can revoke it.",
  toKeys: "API keys",
  deniedTitle: "The device was denied",
  denied: "It received no key.",
};
