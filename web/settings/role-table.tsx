import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client.ts";
import type { Role } from "../api/session.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { rolesQuery } from "./queries.ts";
import { groupByArea } from "./role-areas.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
        <section className={styles.scroll} tabIndex={0} aria-label={own.rolesTitle}>
          <table className={styles.table}>
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

/** Shows the permissions of each role, as reported by the server. */
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
