import "./WriteJournal.test.js"
