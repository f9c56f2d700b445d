import { useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, useSearch } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { AlertsFrame } from "./alerts-frame.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { KindChoice } from "./channels-screen.tsx";
import { nameKind } from "./describe-channel.ts";
import { channelKindsQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.channel;

function NewChannel({ type }: { readonly type: string }) {
  const { data } = useSuspenseQuery(channelKindsQuery);
  const kind = data.find((one) => one.type === type);
  if (kind === undefined) return <KindChoice />;
  return (
    <>
      <h2>{own.new(nameKind(type))}</h2>
      <ChannelForm key={type} kind={kind} stored={null} />
    </>
  );
}

function NewChannelScreen() {
  const { type } = useSearch({ from: "/signed-in/alerts/channels/new" });
  const mayWrite = useMay("write");
  return (
    <AlertsFrame tabTitle={own.create}>
      {!mayWrite && <EmptyState title={own.gone}>{null}</EmptyState>}
      {mayWrite && (type === undefined ? <KindChoice /> : <NewChannel type={type} />)}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/channels/new")({
  component: NewChannelScreen,
});
