require('reflect-metadata');
const { describeApplication } = require('./describe.cjs');

void describeApplication({
  oauth2: require('nest-oauth2'),
  memory: require('nest-oauth2/stores/memory'),
  common: require('@nestjs/common'),
  core: require('@nestjs/core'),
  swagger: require('@nestjs/swagger'),
  addOAuth2: require('nest-oauth2/swagger').addOAuth2,
}).then((answer) => console.log(JSON.stringify(answer)));
