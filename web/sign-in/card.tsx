import type { ReactNode } from "react";
import { Stack } from "../parts/layout.tsx";
import { useScreenTitle } from "../parts/screen-title.ts";
import styles from "./sign-in.module.css";

/** The frame of the screens before sign-in. */
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
