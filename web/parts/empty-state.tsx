import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./empty-state.module.css";
import { useScreenTitle } from "./screen-title.ts";

interface EmptyStateProps {
  readonly title: string;
  /** Text that explains the feature and the first step. */
  readonly children: ReactNode;
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Content of the screen for an unknown URL. */
export function NotFound() {
  const title = "Page not found";
  useScreenTitle(title);
  return (
    <div className={styles.empty}>
      <h1>{title}</h1>
      <p>
        Check the address, or <Link to="/">go to the Now screen.</Link>
      </p>
    </div>
  );
}

/** Screen for an unknown URL without the navigation. */
export function NotFoundScreen() {
  return (
    <main>
      <NotFound />
    </main>
  );
}
