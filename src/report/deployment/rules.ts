import type { DeploymentRule } from './deployment-rule.js';
import { RESPONSE_RULES } from './response-rules.js';
import { TRANSPORT_RULES } from './transport-rules.js';

/** All rules about what a deployment answers from outside. */
export const DEPLOYMENT_RULES: readonly DeploymentRule[] = [...TRANSPORT_RULES, ...RESPONSE_RULES];
