import "./recording.test.js"
