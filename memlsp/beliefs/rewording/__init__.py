"""rewording"""
