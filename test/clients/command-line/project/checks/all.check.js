/** Every construct whose kind this product has. */
const c = require('checkly/constructs');
const loc = ['eu-west-1'];
const email = new c.EmailAlertChannel('ch-email', { address: 'ops@example.test', sendDegraded: true });
const hook = new c.WebhookAlertChannel('ch-hook', { name: 'Hook', url: 'https://hooks.example.test/x', method: 'POST', webhookSecret: 's3cret' });
const slack = new c.SlackAlertChannel('ch-slack', { url: 'https://hooks.slack.com/services/x', channel: '#ops' });
const pl = new c.PrivateLocation('pl-lab', { name: 'Lab', slugName: 'lab-one', icon: 'squirrel' });
const group = new c.CheckGroupV2('group-main', { name: 'Main group', tags: ['grp'], locations: loc, environmentVariables: [{ key: 'G', value: 'v', locked: true }], alertChannels: [email] });
const svc = new c.StatusPageService('svc-api', { name: 'API' });
new c.StatusPage('page-main', { name: 'Main page', url: process.env.PAGE_URL ?? 'sample-main', defaultTheme: 'DARK', cards: [{ name: 'Core', services: [svc] }] });
new c.IcmpMonitor('icmp-one', { name: process.env.PING_NAME ?? 'Ping loopback', frequency: 5, locations: loc, tags: ['icmp'], privateLocations: [pl], alertChannels: [email, hook], request: { hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 5 }, triggerIncident: { service: svc, severity: 'MAJOR', name: 'Ping down', description: 'No answer', notifySubscribers: false } });
new c.ApiCheck('api-one', { name: 'API', group, request: { method: 'GET', url: 'https://api.example.test/x', headers: [{ key: 'H', value: 'v', locked: true }], basicAuth: { username: 'u', password: 'p' }, assertions: [c.AssertionBuilder.statusCode().equals(200)] }, degradedResponseTime: 5000, maxResponseTime: 10000 });
new c.UrlMonitor('url-one', { name: 'URL', frequency: 10, request: { url: 'https://example.test', followRedirects: true, assertions: [] }, degradedResponseTime: 3000, maxResponseTime: 5000, retryStrategy: c.RetryStrategyBuilder.linearStrategy() });
new c.TcpMonitor('tcp-one', { name: 'TCP', request: { hostname: '127.0.0.1', port: 22 } });
new c.DnsMonitor('dns-one', { name: 'DNS', request: { recordType: 'A', query: 'example.test' } });
new c.SslMonitor('ssl-one', { name: 'SSL', request: { sslConfig: { hostname: 'example.test', port: 443 }, hostname: 'example.test', port: 443 } });
new c.HeartbeatMonitor('hb-one', { name: 'Backup', period: 30, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes' });
new c.MaintenanceWindow('mw', { name: 'Weekly', tags: ['icmp'], startsAt: new Date('2026-12-01T02:00:00Z'), endsAt: new Date('2026-12-01T04:00:00Z'), repeatInterval: 1, repeatUnit: 'WEEK', repeatEndsAt: new Date('2027-12-01T00:00:00Z') });
new c.Dashboard('dash', { header: 'Sample', description: 'Desc', customUrl: 'sample-dash', tags: ['icmp'] });
