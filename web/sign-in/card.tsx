import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { Stack } from "../parts/layout.tsx";
import { useScreenTitle } from "../parts/screen-title.ts";
import textStyles from "../parts/text.module.css";
import styles from "./sign-in.module.css";

/** Labels that replace the field name at the start of an API message. */
const fieldNames: Readonly<Record<string, string>> = {
  newPassword: "The password",
  password: "The password",
  currentPassword: "The current password",
  email: "The email address",
  name: "The name",
};

function phrase(error: ApiError): string {
  if (error.status === 429) {
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} min, or from a network you have used before.`;
  }
  const [field = "", ...rest] = error.message.split(" ");
  const name = fieldNames[field];
  return name === undefined ? error.message : `${name} ${rest.join(" ")}.`;
}

/** Shows the reason why a submission failed. */
export function Fault({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const known = error instanceof ApiError ? error : null;
  const isServerError = known === null || known.kind !== "rejected";
  return (
    <div role="alert">
      <p className={`${textStyles.bad} ${textStyles.wrap}`}>
        {known === null ? "Something went wrong. Retry." : phrase(known)}
      </p>
      {isServerError && known?.requestId && (
        <p className={textStyles.hint}>
          Request ID <code>{known.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** Frame around the content of the screens for people without a session. */
export function Card({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  useScreenTitle(title);
  return (
    <main className={styles.screen}>
      <Stack gap={4} className={styles.card}>
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1>{title}</h1>
        {children}
      </Stack>
    </main>
  );
}
