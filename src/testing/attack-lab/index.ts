export { attackLab } from './attack-lab.js';
export type { AttackText as Attack } from './attack.js';
export { CATALOG as ATTACKS } from './catalog.js';
export { LabBrowser, type LabCookie, type PageVisit } from './browser.js';
export type { PageForm } from './forms.js';
export type {
  AttackLabOptions,
  ExistingLabClient,
  GuardedRoute,
  LabClientSource,
  LabOrganizations,
  LabUpstream,
  LabUser,
  NewLabClient,
} from './options.js';
export { AttackLabError, AttackReport, type AttackResult } from './report.js';
export type { LabApplication } from './target.js';
export type { LabRequest, LabResponse, SentRequest } from './wire.js';
