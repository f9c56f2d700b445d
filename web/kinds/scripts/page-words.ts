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
