# Fits {measure} ~ condition + (1 | participant) + (1 | item) to the exported trials with lme4.
#
# Rscript analysis.R        prints the model and the primary contrast.

library(lme4)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
trials <- read.csv(file.path(dirname(script), "data", "{table}"), na.strings = "")
trials <- trials[trials$is_counted == "true", ]
trials$condition <- relevel(factor(trials$condition), ref = "{against}")
fit <- lmer({measure} ~ condition + (1 | participant) + (1 | item), data = trials, REML = TRUE)
print(summary(fit))
name <- "condition{of}"
ends <- confint(fit, parm = name, method = "Wald")
cat(sprintf("{of} - {against}: %.6f, 95 %% from %.6f to %.6f, %d trials\n", fixef(fit)[name], ends[1], ends[2], nrow(trials)))
