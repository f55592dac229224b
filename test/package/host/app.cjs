require('reflect-metadata');
const { askApplication } = require('./grant.cjs');

void askApplication(
  require('nest-oauth2'),
  require('nest-oauth2/stores/memory'),
  require('@nestjs/common'),
  require('@nestjs/core'),
).then((answer) => console.log(JSON.stringify(answer)));
