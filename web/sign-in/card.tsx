import type { ReactNode } from "react";
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
      <div className={styles.card}>
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
