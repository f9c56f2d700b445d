import { Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { Row } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import styles from "./incidents.module.css";
import { IncidentsFrame, SeverityMark } from "./incidents-frame.tsx";
import { type IncidentTemplate, templatesQuery } from "./queries.ts";
import { words as moduleWords, templateWords as words } from "./words.ts";

function AddTemplate() {
  return (
    <Button
      component={AddressLink}
      href="/incidents/templates/new"
      leftSection={<PlusIcon size={16} />}
    >
      {words.create}
    </Button>
  );
}

function TemplateRow({ template }: { readonly template: IncidentTemplate }) {
  const mayWrite = useMay("write");
  const { id, name, incidentName, severity, updates, variables } = template;
  return (
    <li className={`${listStyles.row} ${styles.templateRow}`}>
      <Row as="span" gap={3} tight align="baseline" className={styles.rowMain}>
        <Link
          to="/incidents/templates/$templateId"
          params={{ templateId: id }}
          className={`${textStyles.plain} ${textStyles.strong} ${textStyles.clampOnPhone}`}
        >
          <bdi>{name}</bdi>
        </Link>
        <span className={textStyles.muted}>
          {incidentName ?? words.forUpdates}
          {variables.length > 0 && ` · ${words.asks} ${variables.join(", ")}`}
        </span>
      </Row>
      <span>{severity !== null && <SeverityMark severity={severity} />}</span>
      <span className={textStyles.muted}>{words.updateCount(updates.length)}</span>
      {mayWrite && incidentName !== null && (
        <AddressLink href={`/incidents/new?templateId=${id}`} aria-label={`${words.use}: ${name}`}>
          {words.use}
        </AddressLink>
      )}
    </li>
  );
}

function TemplatesScreen() {
  const mayWrite = useMay("write");
  const { data } = useSuspenseQuery(templatesQuery);
  const hasSome = data.length > 0;
  return (
    <IncidentsFrame
      tabTitle={moduleWords.templates}
      actions={mayWrite && hasSome && <AddTemplate />}
    >
      {!hasSome && (
        <EmptyState title={words.empty}>
          <p>{words.emptyText}</p>
          {mayWrite && <AddTemplate />}
        </EmptyState>
      )}
      {hasSome && (
        <ul className={listStyles.list}>
          {data.map((template) => (
            <TemplateRow key={template.id} template={template} />
          ))}
        </ul>
      )}
    </IncidentsFrame>
  );
}

export const route = createLazyRoute("/signed-in/incidents/templates")({
  component: TemplatesScreen,
});
