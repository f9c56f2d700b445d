import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { automationQuery, type Component, type Rule } from "./queries.ts";
import { words } from "./words.ts";

interface RuleProps {
  readonly rule: Rule;
  readonly components: readonly Component[];
}

/** Describes a rule in sentences. */
function RuleText({ rule, components }: RuleProps) {
  const { name, tags, enabled, incidentId, notifySubscribers } = rule;
  const names = new Map(components.map((one) => [one.id, one.name]));
  const { coolDownWindowMinutes: minutes } = rule;
  return (
    <li>
      <strong>{name}</strong>{" "}
      {incidentId !== null && (
        <Link to="/incidents/$incidentId" params={{ incidentId }}>
          {words.ruleOpen}
        </Link>
      )}
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

/** Lists what the automation rules of a page do. Shows nothing on a page without rules. */
export function Automation({ statusPageId }: { readonly statusPageId: string }) {
  const { data, error, refetch } = useQuery(automationQuery(statusPageId));
  if (error !== null) {
    return <ErrorPanel title={words.automationNotLoaded} error={error} onRetry={refetch} />;
  }
  const { rules = [], components = [] } = data ?? {};
  const hidden = components.filter((one) => one.hidden).map((one) => one.name);
  return (
    <>
      {hidden.length > 0 && <p className={textStyles.hint}>{words.hidden(hidden.join(", "))}</p>}
      {rules.length > 0 && (
        <Stack as="section" gap={4} aria-label={words.automation}>
          <div>
            <h2>{words.automation}</h2>
            <p className={textStyles.hint}>{words.automationHint}</p>
          </div>
          <ul>
            {rules.map((rule) => (
              <RuleText key={rule.id} rule={rule} components={components} />
            ))}
          </ul>
        </Stack>
      )}
    </>
  );
}
