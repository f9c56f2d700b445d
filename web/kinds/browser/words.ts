export const words = {
  pages: "Pages",
  status: "Status",
  vitals: {
    LCP: "Largest paint (LCP)",
    FCP: "First paint (FCP)",
    TTFB: "First byte (TTFB)",
    CLS: "Layout shift (CLS)",
  },
  rate: (value: number, good: number, bad: number) => {
    if (value <= good) return "";
    return value <= bad ? ", needs improvement" : ", poor";
  },
  pageError: "page",
  consoleError: "console",
  requestError: "request",
  noErrors: "No errors.",
} as const;
