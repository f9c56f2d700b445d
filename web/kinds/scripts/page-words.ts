/** Web vitals, with the limits for good and bad values that the Chromium project recommends. */
export const vitals = [
  { name: "LCP", good: 2_500, bad: 4_000 },
  { name: "FCP", good: 1_800, bad: 3_000 },
  { name: "TTFB", good: 800, bad: 1_800 },
  { name: "CLS", good: 0.1, bad: 0.25 },
] as const;

export const words = {
  certificate: "Certificate",
  certificateDomain: "Certificate of",
  certificateHint:
    "Each run reads the certificate of this host. Channels with certificate alerts are notified before it expires.",
  host: "Host",
  issuer: "Issuer",
  expires: "Expires",
  notRead: "Not read",
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
  budgets: "Web vitals",
  budgetsHint:
    "A run whose script passes is degraded or failing if one of its pages exceeds a limit. Empty for no limit.",
  degradedAbove: (vital: string) => `${vital}: degraded above`,
  failingAbove: (vital: string) => `${vital}: failing above`,
  ms: "ms",
  budget: (level: "degraded" | "failing", limits: readonly string[]) =>
    `${level === "degraded" ? "It is degraded" : "It fails"} if a page has ${limits.join(" or ")}.`,
} as const;
