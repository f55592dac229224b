import type { PageData } from '../render/page-renderer.js';
import { applicationList } from '../default/applications.js';
import { html } from '../render/html.js';
import { applicationsOf, forgetConsent, removeAccess } from './applications-page.js';
import { defineSection } from './section.js';

/** The applications with access to the account. */
export const applicationsSection = defineSection<Pick<PageData<'applications'>, 'applications' | 'loginUrls'>>({
  id: 'applications',
  order: 70,
  title: 'applicationsTitle',
  get: (call) => applicationsOf(call),
  forms: {
    remove: {
      done: 'accessRemoved',
      async post(call) {
        await removeAccess(call);
      },
    },
    ask_again: {
      done: 'consentForgotten',
      async post(call) {
        await forgetConsent(call);
      },
    },
  },
  render: ({ applications, loginUrls }, context) =>
    html`<p>${context.message(applications.length > 0 ? 'applicationsIntro' : 'applicationsNone')}</p>
      ${applicationList(
        { ...context, applications, ...(loginUrls && { loginUrls }) },
        (content, clientId, name, grantId) =>
          context.form(name, content, { client_id: clientId, ...(grantId !== undefined && { grant_id: grantId }) }),
        'h3',
      )}`,
});
