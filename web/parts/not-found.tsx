import { Link } from "@tanstack/react-router";
import { EmptyState } from "./empty-state.tsx";

export function NotFoundScreen() {
  return (
    <EmptyState title="There is no such page">
      <p>
        The address may be mistyped. <Link to="/">See what is happening now.</Link>
      </p>
    </EmptyState>
  );
}
