export const words = {
  title: "Sign in to Vedette",
  email: "Email",
  password: "Password",
  signIn: "Sign in",
} as const;
