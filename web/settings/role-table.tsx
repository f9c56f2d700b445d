import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client.ts";
import type { Role } from "../api/session.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { rolesQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

type Operation = Schemas["RoleOperation"];

interface Area {
  readonly tag: string;
  /** Operations that each role may perform in addition to those of the next weaker role. */
  readonly gained: ReadonlyMap<string, readonly string[]>;
}

/** Groups the API operations by their tags, which are the sections of the API reference. */
function groupByArea(operations: readonly Operation[], roles: readonly string[]): readonly Area[] {
  const paths = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  // Leaves out operations that also exist for the caller's own account.
  const kept = operations.filter(({ method, path }) => {
    const own = path.replace("{accountId}", "me");
    return own === path || !paths.has(`${method} ${own}`);
  });
  const tags = [...new Set(kept.map(({ tag }) => tag))];
  return tags.map((tag) => ({
    tag,
    gained: new Map(
      roles.map((role) => {
        const own = kept.filter((one) => one.tag === tag && one.leastRole === role);
        return [role, [...new Set(own.map(({ summary }) => summary))]];
      }),
    ),
  }));
}

const own = words.members;

function Table({ table }: { readonly table: Schemas["RoleTable"] }) {
  const roles = table.roles.map(({ role }) => role);
  const areas = groupByArea(table.operations, roles);
  return (
    <>
      <FactList>
        {table.roles.map(({ role, description }) => (
          <div key={role}>
            <dt>{words.roles[role as Role]}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </FactList>
      <details>
        <summary>{own.details}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
        <section className={styles.scroll} tabIndex={0} aria-label={own.rolesTitle}>
          <table className={tableStyles.table}>
            <thead>
              <tr>
                <th>{own.area}</th>
                {roles.map((role) => (
                  <th key={role}>{words.roles[role as Role]}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {areas.map(({ tag, gained }) => (
                <tr key={tag}>
                  <th scope="row">{tag}</th>
                  {roles.map((role) => (
                    <td key={role} className={styles.gained}>
                      <ul>
                        {gained.get(role)?.map((summary) => (
                          <li key={summary}>{summary}</li>
                        ))}
                      </ul>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

/** Shows the permissions of each role as the server reports them. */
export function RoleTable() {
  const { data, error, refetch } = useQuery(rolesQuery);
  return (
    <Stack as="section">
      <h2>{own.rolesTitle}</h2>
      <p className={textStyles.muted}>{own.rolesText}</p>
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={5} />}
      {data && <Table table={data} />}
    </Stack>
  );
}
