/** Limits of good and of bad values, as Chromium's makers recommend them. */
export const vitals = [
  { name: "LCP", good: 2_500, bad: 4_000 },
  { name: "FCP", good: 1_800, bad: 3_000 },
  { name: "TTFB", good: 800, bad: 1_800 },
  { name: "CLS", good: 0.1, bad: 0.25 },
] as const;
