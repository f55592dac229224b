import { html, isolated } from '../../pages/render/html.js';
import { type AccountSection, defineSection } from '../../pages/account/section.js';
import { listConnections } from '../linking/connections.js';
import { MESSAGES, type MessageKey } from '../messages.js';
import { CONNECTIONS, UPSTREAM_SERVER } from '../upstream-server.js';

interface SectionData {
  readonly labels: readonly string[];
  readonly path: string;
}

/** The section of the account page that leads to the page of connected accounts. */
export const connectionsSection: AccountSection = defineSection<SectionData, MessageKey>({
  id: 'connections',
  messages: MESSAGES,
  title: 'connectionsTitle',
  async get(call) {
    const connections = await listConnections(call.server.find(UPSTREAM_SERVER)!, call.user);
    return { labels: connections.map(({ label }) => label), path: call.pathOf(CONNECTIONS) };
  },
  render: ({ labels, path }, { message }) =>
    html`<p>${labels.length > 0 ? labels.map((label) => html`${isolated(label)} `) : message('connectionsNone')}</p>
      <p><a href="${path}">${message('connectionsManage')}</a></p>`,
});
