export const words = {
  title: "Now",
  notLoaded: "The checks could not be loaded",
} as const;
