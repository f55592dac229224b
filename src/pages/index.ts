export type { Attempt, Throttle } from './login/attempts.js';
export type * from './render/contexts.js';
export type { LoginOption, OptionLogo } from './render/login-option.js';
export {
  ACCOUNT_SECTIONS,
  type AccountSection,
  defineSection,
  type SectionContext,
  type SectionDefinition,
  type SectionForm,
} from './account/section.js';
export { ELICITATION_MESSAGES, type ElicitationMessage } from './elicitation/messages.js';
export { urlElicitation, type UrlElicitationOptions } from './elicitation/feature.js';
export { defaultPages } from './default/default-pages.js';
export { hidden, problemOf } from './default/fields.js';
export { type FinishedLogin, finishLogin } from './login/finish-login.js';
export type { StepProof } from './login/login-flow.js';
export {
  LOGIN_METHODS,
  type LoginMethod,
  type LoginPageRequest,
  PASSWORDS,
  type PasswordVerifier,
} from './login/methods.js';
export { type Login, LOGIN_STEPS, type LoginStep, type StepStart } from './login/steps.js';
export { definePage, type PageDefinition, type PageProblemDetails } from './toolkit/define-page.js';
export type { PageAnswer, PageDownload, PageProblem, PageRedirect, ReadyMadePage } from './toolkit/answers.js';
export type { PageCall } from './toolkit/page-call.js';
export { Html, html } from './render/html.js';
export {
  defineMessages,
  ENGLISH,
  type Language,
  type LanguageSource,
  type MessageSet,
  type MessageText,
  type Messages,
  type PluralText,
  type Scopes,
  type Translation,
} from './render/messages.js';
export type { PageFunctions } from './render/page-functions.js';
export { page, sendPage } from './render/page.js';
export { type Look, type PageContent, PageRenderer, type RenderedPage } from './render/page-renderer.js';
export type { LanguagePreferences } from './render/language.js';
export { pages, type Pages } from './pages.js';
export type { PagesOptions } from './pages-options.js';
export type { AcceptSessionsOptions } from './sessions/accept-sessions-options.js';
export type { Organization, Organizations, OrganizationsContext } from './organizations/organizations.js';
export type { SecondFactor, SecondFactorOptions } from './second-factor/options.js';
export type { Sessions } from './sessions/sessions.js';
