import type { PageFunctions } from '../render/page-functions.js';
import { account, signOut } from './account.js';
import { applications } from './applications.js';
import { consent } from './consent.js';
import { device, deviceConsent, deviceDone } from './device.js';
import { error } from './error.js';
import { frame } from './frame.js';
import { login } from './login.js';
import { organization } from './organization.js';
import { secondFactor } from './second-factor.js';

/** The functions that render the default pages, for an application that extends one of them. */
export const defaultPages: PageFunctions = {
  login,
  secondFactor,
  organization,
  consent,
  account,
  signOut,
  error,
  applications,
  device,
  deviceConsent,
  deviceDone,
  frame,
};
