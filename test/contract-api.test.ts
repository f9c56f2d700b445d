/** The API contract, operation by operation: the shape, every documented status and every limit. */
import { after, before, describe } from "node:test";
import { describeAskAgent } from "./contract/ask-agent.ts";
import { describeCreateDashboard } from "./contract/create-dashboard.ts";
import { describeCreateIncident } from "./contract/create-incident.ts";
import { describeReadIncident } from "./contract/read-incident.ts";
import { describeReadRuntime } from "./contract/read-runtime.ts";
import { describeReadStatusPage } from "./contract/read-status-page.ts";
import { type ContractSetting, createContractSetting } from "./contract/setting.ts";
import { describeStaticIpv6s } from "./contract/static-ipv6s.ts";
import { describeUpdateIcmpCheck } from "./contract/update-icmp-check.ts";

let made: ContractSetting;
const setting = () => made;
before(async () => {
  made = await createContractSetting();
});
after(() => made.stop());

describe("1. GET /v1/static-ipv6s", () => describeStaticIpv6s(setting));
describe("2. POST /v1/status-pages/incidents", () => describeCreateIncident(setting));
describe("3. GET /v1/status-pages/incidents/{incidentId}", () => describeReadIncident(setting));
describe("4. GET /v1/status-pages/{statusPageId}", () => describeReadStatusPage(setting));
describe("5. PUT /v1/checks/icmp/{id}", () => describeUpdateIcmpCheck(setting));
describe("6. GET /v1/runtimes/{id}", () => describeReadRuntime(setting));
describe("7. POST /accounts/{accountId}/ai/agents/stream", () => describeAskAgent(setting));
describe("8. POST /v1/dashboards", () => describeCreateDashboard(setting));
