import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormSection } from "../../parts/form.tsx";
import { PlusIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { automationQuery, type Component, type Rule } from "./queries.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { words } from "./words.ts";

interface RuleProps {
  readonly rule: Rule;
  readonly components: readonly Component[];
  readonly onEdit: () => void;
}

/** Describes an automation rule in sentences. */
function RuleText({ rule, components, onEdit }: RuleProps) {
  const { name, tags, enabled, incidentId, notifySubscribers } = rule;
  const names = new Map(components.map((one) => [one.id, one.name]));
  const { coolDownWindowMinutes: minutes } = rule;
  return (
    <li>
      <Row>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {incidentId !== null && (
          <Link to="/incidents/$incidentId" params={{ incidentId }}>
            {words.ruleOpen}
          </Link>
        )}
        <Button
          variant="default"
          size="compact-sm"
          aria-label={words.editRule(name)}
          onClick={onEdit}
        >
          {words.edit}
        </Button>
      </Row>
      <p className={textStyles.hint}>
        {!enabled && `${words.ruleOff} `}
        {words.ruleWhen(tags.map((tag) => `“${tag}”`).join(" or "))}{" "}
        {words.ruleEnd(notifySubscribers)} {minutes > 0 && words.ruleCoolDown(minutes)}
      </p>
      {rule.components.length === 0 && <p>{words.ruleNothing}</p>}
      <ul>
        {rule.components.map(({ id, componentId, targetImpact }) => (
          <li key={id}>{words.ruleEffect(names.get(componentId) ?? componentId, targetImpact)}</li>
        ))}
      </ul>
    </li>
  );
}

/** Describes the automation rules of a page, with a dialog to edit each rule. */
export function Automation({ statusPageId }: { readonly statusPageId: string }) {
  const { data, error, refetch } = useQuery(automationQuery(statusPageId));
  const [edited, setEdited] = useState<Rule | "new" | null>(null);
  if (error !== null) {
    return <ErrorPanel title={words.automationNotLoaded} error={error} onRetry={refetch} />;
  }
  if (data === undefined) return null;
  const { rules, components } = data;
  const hidden = components.filter((one) => one.hidden).map((one) => one.name);
  return (
    <>
      {hidden.length > 0 && <p className={textStyles.hint}>{words.hidden(hidden.join(", "))}</p>}
      <FormSection title={words.automation} hint={words.automationHint}>
        {rules.length > 0 && (
          <Stack as="ul">
            {rules.map((rule) => (
              <RuleText
                key={rule.id}
                rule={rule}
                components={components}
                onEdit={() => setEdited(rule)}
              />
            ))}
          </Stack>
        )}
        {components.length === 0 ? (
          <p className={textStyles.hint}>{words.automationEmpty}</p>
        ) : (
          <div>
            <Button
              variant="default"
              leftSection={<PlusIcon size={16} />}
              onClick={() => setEdited("new")}
            >
              {words.addRule}
            </Button>
          </div>
        )}
      </FormSection>
      {edited !== null && (
        <RuleDialog
          statusPageId={statusPageId}
          rule={edited === "new" ? null : edited}
          components={components}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}
