export { attackLab } from './attack-lab.js';
export type { Attack } from './attack.js';
export { ATTACKS } from './attacks/index.js';
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
