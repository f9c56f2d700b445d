import { Link } from "@tanstack/react-router";
import { EmptyState } from "./empty-state.tsx";

export function NotFoundScreen() {
  return (
    <EmptyState title="Page not found">
      <p>
        Check the address, or <Link to="/">go to the Now screen.</Link>
      </p>
    </EmptyState>
  );
}
