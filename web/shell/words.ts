export const words = {
  navigation: "Main",
  skip: "Skip to content",
} as const;
