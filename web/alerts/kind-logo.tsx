/** Channel type icons: a symbol for generic types and a monogram for products. */
import { BellIcon, BracesIcon, MailIcon, PhoneIcon } from "../parts/icons.tsx";
import styles from "./kind-logo.module.css";

const signs = { EMAIL: MailIcon, WEBHOOK: BracesIcon, SMS: PhoneIcon, WEBPUSH: BellIcon } as const;

const monograms: Readonly<Record<string, string>> = {
  SLACK: "Sl",
  MSTEAMS: "Te",
  DISCORD: "Di",
  TELEGRAM: "Tg",
  PAGERDUTY: "Pd",
  OPSGENIE: "Og",
  NTFY: "nt",
  GOTIFY: "Go",
  MATTERMOST: "Mm",
  MATRIX: "Mx",
  GOOGLECHAT: "Gc",
  PUSHOVER: "Po",
  HOMEASSISTANT: "Ha",
  APPRISE: "Ap",
};

export function KindLogo({ type }: { readonly type: string }) {
  const Sign = type in signs ? signs[type as keyof typeof signs] : null;
  return (
    <span className={styles.logo} aria-hidden="true">
      {Sign === null ? (monograms[type] ?? type.slice(0, 2)) : <Sign size={18} />}
    </span>
  );
}
